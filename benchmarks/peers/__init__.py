"""The other libraries. Each module is imported only by the worker of its library."""
