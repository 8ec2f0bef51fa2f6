"""The settings of the tests of every room."""

from tests.conftest import (
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_generate_tests,
)

__all__ = [
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_generate_tests",
]
