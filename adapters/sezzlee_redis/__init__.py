"""Caller facts and change events shared by many replicas, on Redis."""

from sezzlee_redis.bus import RedisBus
from sezzlee_redis.store import RedisStore

__all__ = ["RedisBus", "RedisStore"]
