"""The other libraries, each in a file that only its own worker imports."""
