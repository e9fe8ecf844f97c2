"""Testing kit for hosts and for authors of adapters."""

from sezzlee_py.testing.agent_client import AgentClient, AgentError

__all__ = ["AgentClient", "AgentError"]
