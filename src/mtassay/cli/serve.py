"""``mtassay serve``: reports for people who do not use a shell."""

from __future__ import annotations

from mtassay.cli.arguments import Parser, size
from mtassay.cli.judge import add_address

_EXAMPLES = """\
  mtassay serve                                  a page on this machine: drop files, choose metrics, get the report
  mtassay serve --port 8080 --max-size 100M --max-files 100
  mtassay serve --host 0.0.0.0 --url https://my-machine:8000 --token --certificate chain.pem --key key.pem
  mtassay serve --url https://example.org/mt --token    behind a proxy that adds HTTPS; prints the link for others

files stay in the memory of the server. docs/serve.md shows the page.
"""
_NAMES = ("host", "port", "url", "certificate", "key", "token", "max_size", "max_files", "max_metrics", "max_reports")


def run(argv: list[str]) -> int:
    """Run the verb."""
    parser = Parser("serve", "Serve a web page that makes the report of mtassay report from uploaded files.", _EXAMPLES)
    add_address(parser, visitors="visitors", example="https://example.org/mt")
    parser.add_argument(
        "--token",
        nargs="?",
        const="",
        metavar="TEXT",
        help="admit only visitors whose link has this token (without TEXT: a random token)",
    )
    limits = parser.add_argument_group("limits of a report")
    limits.add_argument(
        "--max-size", type=size, default="32M", metavar="SIZE", help="maximum size of all files together (default: 32M)"
    )
    limits.add_argument("--max-files", type=int, default=40, metavar="N", help="maximum number of files (default: 40)")
    limits.add_argument(
        "--max-metrics", type=int, default=8, metavar="N", help="maximum number of metrics (default: 8)"
    )
    limits.add_argument(
        "--max-reports", type=int, default=2, metavar="N", help="reports made at the same time (default: 2)"
    )
    args = parser.parse_args(argv)
    from mtassay.collect.report_serving import serve

    serve(**{name: getattr(args, name) for name in _NAMES})
    return 0
