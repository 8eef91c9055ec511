"""Ray Serve deployment of the operations, for servers with ``app.py --inference http://...``.

    python -m web.inference.ray_serve --most 8                   # starts Ray on this machine
    python -m web.inference.ray_serve --address auto --most 100  # uses this machine's cluster

It forms no batches (``@serve.batch``): a sentence's numbers would depend on the other sentences, by
more than the tests allow; see docs/capacity.md.
"""

import argparse
import os
from typing import Any

from web.inference.remote_client import TOO_MANY_REQUESTS
from web.inference.replica import Replica

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when Ray is imported

import ray
from ray import serve
from ray.serve import Application
from ray.serve.config import AutoscalingConfig, BackpressureConfig, HTTPOptions

REQUESTS_PER_REPLICA = 4
"""Requests that a replica holds: it computes one, and orders the others by kind."""

TARGET_REQUESTS = 2.0
"""Requests per replica that Ray's autoscaling aims at."""


def application(least: int, most: int, queue: int, others: tuple[str, ...] = ()) -> Application:
    """The Ray Serve application.

    Args:
        least: Minimum number of replicas.
        most: Maximum number of replicas.
        queue: Number of requests that may wait.
        others: Hub ids and folders that are allowed in addition to the catalogue.
    """
    deployment = serve.deployment(
        Replica,
        name="models",
        ray_actor_options={"num_cpus": 1},
        max_ongoing_requests=REQUESTS_PER_REPLICA,
        max_queued_requests=queue,
        autoscaling_config=AutoscalingConfig(
            min_replicas=least, max_replicas=most, target_ongoing_requests=TARGET_REQUESTS
        ),
        backpressure_config=BackpressureConfig(status_code=TOO_MANY_REQUESTS),
        logging_config={"enable_access_log": False},
    )
    return deployment.bind(others)


def main() -> None:
    """Read the command line, and serve until the process is stopped."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--address", default="local", help="address of a cluster, or auto, or local"
    )
    parser.add_argument("--host", default="127.0.0.1", help="host to bind to")
    parser.add_argument("--port", type=int, default=8000, help="port to bind to")
    parser.add_argument("--least", type=int, default=1, help="minimum number of replicas")
    parser.add_argument("--most", type=int, default=2, help="maximum number of replicas")
    parser.add_argument("--queue", type=int, default=200, help="requests that may wait")
    parser.add_argument(
        "--models", nargs="*", default=(), help="hub ids and folders in addition to the catalogue"
    )
    options = parser.parse_args()
    # Ray's own ports accept commands from anybody, so a local Ray binds to the loopback interface.
    local: dict[str, Any] = {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    ray.init(address=options.address, **(local if options.address == "local" else {}))
    serve.start(http_options=HTTPOptions(host=options.host, port=options.port))
    models = application(options.least, options.most, options.queue, tuple(options.models))
    try:
        serve.run(models, name="headlight", blocking=True)
    finally:  # a cluster would keep the deployment
        serve.shutdown()


if __name__ == "__main__":
    main()
