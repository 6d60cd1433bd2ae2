"""Server of tools over standard input and output: roots, limits and cancellation; a call runs in a process, which is ended with it."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from massprops._version import __version__
from massprops.errors import InvalidInput, MasspropsError, needing
from massprops.rigid_body.as_json import error_object
from massprops.values import dataclass

if TYPE_CHECKING:
    from mcp.server import Server as Protocol
    from mcp.server.context import ServerRequestContext
    from mcp.types import CallToolRequestParams, CallToolResult, InputRequiredResult, ListToolsResult

    Context = ServerRequestContext[Any, Any]

#: Bytes of the answer to a call: more than a model can read.
_ANSWER = 8 << 20
#: The key under which a client of the stateless protocol says which folders it opens.
_ROOTS = "roots"


def failure(error: MasspropsError, path: str = "") -> dict[str, Any]:
    """The answer to a call that has no result."""
    return {"result": error_object(path, error), "is_error": True, "messages": []}


def _failed(message: str, code: str, hint: str) -> dict[str, Any]:
    return failure(InvalidInput(message, code=code, hint=hint))


@dataclass(frozen=True)
class Server:
    """A server of tools.

    Attributes
    ----------
    instructions : str
        Advice for the model that calls the tools.
    tools : sequence of mapping
        The tools, as the protocol spells them: `name`, `description`, `inputSchema` and `annotations`.
    command : sequence of str
        The program that answers a call: it reads `tool`, `arguments`, `roots` and `max_bytes` as JSON, and writes lines of JSON with
        `progress`, at the end one with `result`, `is_error`, `messages` and perhaps a `picture`.
    roots : sequence of str
        Folders that calls may read and write; empty: those that the client opens.
    timeout, max_bytes, processes : int
        Limits: seconds of a call, bytes of a file (None: those of each format), and calls that run at once.
    """

    instructions: str
    tools: Sequence[Mapping[str, Any]]
    command: Sequence[str]
    roots: Sequence[str]
    timeout: int
    max_bytes: int | None
    processes: int

    async def serve(self) -> None:
        """Serve one client until it closes standard input; raises MissingExtra without the protocol's package."""
        protocol = self.protocol()
        from mcp.server.stdio import stdio_server

        async with stdio_server() as (incoming, outgoing):
            await protocol.run(incoming, outgoing, protocol.create_initialization_options())

    def protocol(self) -> Protocol[Any]:
        """The server for a transport of the protocol's package.

        Raises
        ------
        MissingExtra
            If the protocol's package is not installed.
        """
        with needing("mcp", "the server needs the package mcp"):
            from anyio import CapacityLimiter
            from mcp import types
            from mcp.server import Server as Protocol
        free = CapacityLimiter(self.processes)

        async def list_tools(_context: Context, _params: Any) -> ListToolsResult:
            return types.ListToolsResult(tools=[types.Tool.model_validate(tool) for tool in self.tools])

        async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult | InputRequiredResult:
            roots = self.roots or await _roots_of_client(context, params)
            if roots is None:
                return types.InputRequiredResult(input_requests={_ROOTS: types.ListRootsRequest()})
            async with free:
                answer = await self._answer(context, params, roots)
            texts = [json.dumps(result := answer["result"], ensure_ascii=False), *answer["messages"]]
            content: list[Any] = [types.TextContent(text=text) for text in texts]
            content += [types.ImageContent(**each) for each in answer.get("picture", ())]
            return types.CallToolResult(content=content, structured_content=result, is_error=answer["is_error"])

        return Protocol(
            "massprops",
            version=__version__,
            instructions=self.instructions,
            on_list_tools=list_tools,
            on_call_tool=call_tool,
        )

    async def _answer(self, context: Context, params: CallToolRequestParams, roots: Sequence[str]) -> dict[str, Any]:
        """The last line that the program writes; an error if it has none in time."""
        from anyio import DelimiterNotFound, EndOfStream, IncompleteRead, fail_after, open_process
        from anyio.streams.buffered import BufferedByteReceiveStream
        from jsonschema import ValidationError, validate

        schemas, arguments = {tool["name"]: tool["inputSchema"] for tool in self.tools}, params.arguments or {}
        if params.name not in schemas:
            return _failed(f"no such tool: {params.name!r}", "no-such-tool", f"known: {', '.join(schemas)}")
        if not roots:
            return _failed(
                "no folder is open", "no-roots", "open one in the client, or name one when the server starts"
            )
        call = {"tool": params.name, "arguments": arguments, "roots": roots, "max_bytes": self.max_bytes}
        try:
            validate(arguments, schemas[params.name])
            # leaving the process, by an answer or a cancellation, ends it
            with fail_after(self.timeout):
                process = await open_process(self.command, cwd=roots[0], stderr=None, start_new_session=True)
                async with process, _ending_group_of(process.pid):
                    assert process.stdin is not None and process.stdout is not None  # noqa: S101, PT018  # both are pipes
                    await process.stdin.send(json.dumps(call).encode())
                    await process.stdin.aclose()
                    lines = BufferedByteReceiveStream(process.stdout)
                    while "result" not in (answer := json.loads(await lines.receive_until(b"\n", _ANSWER))):
                        await context.session.report_progress(*answer["progress"])
                    return dict(answer)
        except ValidationError as error:
            return _failed(f"{error.json_path}: {error.message}", "invalid-input", "see the schema of the tool")
        except TimeoutError:
            return _failed(f"stopped after {self.timeout} s", "timed-out", "name fewer or smaller files")
        except DelimiterNotFound:
            return _failed(f"the answer has more than {_ANSWER:,} bytes", "too-large", "name fewer files")
        except (EndOfStream, IncompleteRead):
            return _failed("the process ended without an answer", "defect", "please report it with the file")
        except OSError as error:
            return _failed(f"cannot start in {roots[0]}: {error}", "no-roots", "open a folder that exists")


@asynccontextmanager
async def _ending_group_of(pid: int) -> AsyncIterator[None]:
    """End a process that leads a group with all of the group: also what it has started, and whether it answered or not."""
    try:
        yield
    finally:
        with suppress(OSError, AttributeError):  # there is none any more; Windows has no groups
            os.killpg(pid, signal.SIGKILL)


async def _roots_of_client(context: Context, params: CallToolRequestParams) -> list[str] | None:
    """The folders that the client opens; None if it has to be asked by the answer to its call, as in the stateless protocol."""
    from urllib.parse import urlsplit
    from urllib.request import url2pathname  # imports clients of the internet, in no call

    from mcp import types
    from mcp.types.version import MODERN_PROTOCOL_VERSIONS

    session = context.session
    found: Any = (params.input_responses or {}).get(_ROOTS)
    if session.client_capabilities is None or session.client_capabilities.roots is None:
        return []
    if found is None and session.protocol_version in MODERN_PROTOCOL_VERSIONS:
        return None
    if found is None:
        found = await session.send_request(types.ListRootsRequest(), types.ListRootsResult)
    uris = (urlsplit(str(root.uri)) for root in found.roots)
    return [url2pathname(uri.path) for uri in uris if uri.scheme == "file" and uri.netloc in ("", "localhost")]
