"""Tests of tickets for labels that come late."""
