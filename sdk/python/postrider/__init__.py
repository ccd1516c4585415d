"""Typed client for the API of a Postrider installation."""
from .client import Postrider, PostriderError

__all__ = ["Postrider", "PostriderError"]
