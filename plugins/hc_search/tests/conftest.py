"""The settings of the tests of every room, and the small model of the core's tests."""

from tests.conftest import (
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_generate_tests,
)
from tests.core.conftest import small_model

__all__ = [
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_generate_tests",
    "small_model",
]
