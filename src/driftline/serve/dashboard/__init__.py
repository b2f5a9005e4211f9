"""The dashboard: static files, written by hand, that use the API of the service and nothing else.

The files are JavaScript modules without a framework or a build step. They work under the
Content-Security-Policy ``POLICY``: no inline script or style, no request to another host.
"""

from driftline.serve.dashboard.files import POLICY, static_files

__all__ = ["POLICY", "static_files"]
