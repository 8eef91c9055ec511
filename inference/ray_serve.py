"""Forward passes on Ray Serve, for servers that ask for them: ``app.py --inference http://...``.

    python -m inference.ray_serve --most 8                    # a Ray of its own, on this machine
    python -m inference.ray_serve --address auto --most 100   # the cluster that this machine is in

Sentences are not put together into batches (``@serve.batch``): a sentence's numbers would depend on
who else was waiting, by more than they may; docs/capacity.md has it measured.
"""

import argparse
import os
from typing import Any

from inference.elsewhere import FULL
from inference.replica import Models

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when Ray is imported: nobody is told

import ray
from ray import serve
from ray.serve import Application
from ray.serve.config import AutoscalingConfig, BackpressureConfig, HTTPOptions

AT_ONCE = 4
"""Requests that a process has: one is computed, and of the others the quick ones are next."""

WANTED = 2.0
"""Requests a process, by which Ray decides how many processes there are."""


def application(least: int, most: int, queue: int, others: tuple[str, ...] = ()) -> Application:
    """What Ray Serve runs.

    Args:
        least: Processes that are always there.
        most: Processes that there are when many ask.
        queue: Requests that may wait; more are refused.
        others: Hub ids and folders that may be asked for beside the catalogue.
    """
    deployment = serve.deployment(
        Models,
        name="models",
        ray_actor_options={"num_cpus": 1},
        max_ongoing_requests=AT_ONCE,
        max_queued_requests=queue,
        autoscaling_config=AutoscalingConfig(
            min_replicas=least, max_replicas=most, target_ongoing_requests=WANTED
        ),
        backpressure_config=BackpressureConfig(status_code=FULL),
        logging_config={"enable_access_log": False},
    )
    return deployment.bind(others)


def main() -> None:
    """Read the command line, and serve until somebody ends it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--address", default="local", help="a cluster's, or auto, or local")
    parser.add_argument("--host", default="127.0.0.1", help="to listen at")
    parser.add_argument("--port", type=int, default=8000, help="to listen at")
    parser.add_argument("--least", type=int, default=1, help="processes that are always there")
    parser.add_argument("--most", type=int, default=2, help="processes when many ask")
    parser.add_argument("--queue", type=int, default=200, help="requests that may wait")
    parser.add_argument("--models", nargs="*", default=(), help="beside the catalogue's")
    told = parser.parse_args()
    # Ray takes orders from whoever reaches its own ports, so one of our own stays on this machine.
    own: dict[str, Any] = {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    ray.init(address=told.address, **(own if told.address == "local" else {}))
    serve.start(http_options=HTTPOptions(host=told.host, port=told.port))
    models = application(told.least, told.most, told.queue, tuple(told.models))
    try:
        serve.run(models, name="headlight", blocking=True)
    finally:  # a cluster would keep them
        serve.shutdown()


if __name__ == "__main__":
    main()
