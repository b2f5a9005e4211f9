"""Short calls that use every compiled function of the public interface, so that all of them are compiled."""
