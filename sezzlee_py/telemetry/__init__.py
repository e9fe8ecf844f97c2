"""What an operator sees of calls: log events with stable names, spans and metrics."""

from sezzlee_py.telemetry.events import Event, is_logging, log_event
from sezzlee_py.telemetry.instruments import Instruments, instruments

__all__ = ["Event", "Instruments", "instruments", "is_logging", "log_event"]
