"""What goes wrong between processes."""
from .._library import StateError


class JobError(StateError):
    """Another process of the job is gone, stalled for longer than the timeout, or at another call. The job cannot go on; what was exchanged is lost."""
