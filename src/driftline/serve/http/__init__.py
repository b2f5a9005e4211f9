"""The HTTP interface of the service: routes, authorisation, limits and the server process."""
