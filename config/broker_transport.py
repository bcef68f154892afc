"""The broker's transport of kombu, for which a broker that hung is no reason to take no more.

A worker takes a message only while fewer than its prefetch count are unacknowledged. Where the
broker did not answer to an acknowledgement, kombu logs that and keeps the message as
unacknowledged for ever, so that a worker of one process never takes another one.
"""

from typing import Any

from kombu.transport import redis
from kombu.transport.virtual import base


class QoS(redis.QoS):
    """Counts a message as done also where the broker could not be told. The broker gives it out
    again later, and a message may come twice."""

    def ack(self, delivery_tag: Any) -> None:
        """Acknowledge a message. Raises what the broker's client raises."""
        try:
            super().ack(delivery_tag)
        except BaseException:
            base.QoS.ack(self, delivery_tag)
            raise


class Channel(redis.Channel):
    """A channel with this count."""

    QoS = QoS


class Transport(redis.Transport):
    """The setting CELERY_BROKER_TRANSPORT."""

    Channel = Channel
