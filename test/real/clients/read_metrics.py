"""Parses OpenMetrics text, and the same text as the older format of Prometheus; prints both as JSON."""

import json
import sys

from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics
from prometheus_client.parser import text_string_to_metric_families as prometheus

with open(sys.argv[1], encoding="utf-8", newline="") as file:
    text = file.read()


def samples(parse):
    return [[one.name, one.labels, one.value] for family in parse(text) for one in family.samples]


print(json.dumps({"openmetrics": samples(openmetrics), "prometheus": samples(prometheus)}))
