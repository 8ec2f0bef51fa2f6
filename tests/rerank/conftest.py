"""The small model of the core's tests."""

from ..core.conftest import small_model

__all__ = ["small_model"]
