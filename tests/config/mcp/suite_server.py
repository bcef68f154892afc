"""The product's mount of MCP with another server behind it: the tools, resources and prompts that
the public suite asks for. Who may call, sizes, headers and how an answer is sent are the product's.

`test_public_suite.py` serves `application` as the product's own is served.
"""

import json
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from config import asgi
from config.mcp import server
from config.mcp.application import McpApplication

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJg"
    "gg=="
)
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="
SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
MISSING_CAPABILITY = -32021


def text(words: str) -> Any:
    return types.TextContent(type="text", text=words)


def image() -> Any:
    return types.ImageContent(type="image", data=PNG, mime_type="image/png")


def resource(uri: str, mime_type: str, words: str) -> Any:
    contents = types.TextResourceContents(uri=uri, mime_type=mime_type, text=words)
    return types.EmbeddedResource(type="resource", resource=contents)


ANSWERS: dict[str, list[Any]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [image()],
    "test_audio_content": [types.AudioContent(type="audio", data=WAV, mime_type="audio/wav")],
    "test_embedded_resource": [
        resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        image(),
        resource(
            "test://mixed-content-resource", "application/json", '{"test":"data","value":123}'
        ),
    ],
    # They could log and ask back, and do not: no stream is kept open here.
    "test_logging_tool": [text("Done.")],
    "test_streaming_elicitation": [text("Done.")],
    "test_error_handling": [text("This tool intentionally returns an error for testing")],
}
PROMPTS: dict[str, list[str]] = {
    "test_simple_prompt": [],
    "test_prompt_with_arguments": ["arg1", "arg2"],
    "test_prompt_with_embedded_resource": ["resourceUri"],
    "test_prompt_with_image": [],
}


async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
    empty: dict[str, Any] = {"type": "object", "properties": {}}
    schemas = dict.fromkeys([*ANSWERS, "test_missing_capability"], empty)
    schemas["json_schema_2020_12_tool"] = SCHEMA
    return types.ListToolsResult(
        tools=[
            types.Tool(name=name, description=name, input_schema=schema)
            for name, schema in schemas.items()
        ]
    )


async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    if params.name == "test_missing_capability":
        needed: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(MISSING_CAPABILITY, "It needs sampling.", needed)
    content = ANSWERS[params.name]
    return types.CallToolResult(content=content, is_error=params.name == "test_error_handling")


async def list_resources(_context: Any, _params: Any) -> types.ListResourcesResult:
    return types.ListResourcesResult(
        resources=[
            types.Resource(uri="test://static-text", name="text", mime_type="text/plain"),
            types.Resource(uri="test://static-binary", name="binary", mime_type="image/png"),
        ]
    )


async def list_templates(_context: Any, _params: Any) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(uri_template="test://template/{id}/data", name="template")
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def read_resource(
    _context: Any, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    uri = str(params.uri)
    if uri == "test://static-binary":
        blob = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
        return types.ReadResourceResult(contents=[blob])
    mime_type, words = "text/plain", "This is the content of the static text resource."
    if uri.startswith("test://template/"):
        id_ = uri.split("/")[3]
        told = {"id": id_, "templateTest": True, "data": f"Data for ID: {id_}"}
        mime_type, words = "application/json", json.dumps(told)
    contents = types.TextResourceContents(uri=uri, mime_type=mime_type, text=words)
    return types.ReadResourceResult(contents=[contents])


async def list_prompts(_context: Any, _params: Any) -> types.ListPromptsResult:
    return types.ListPromptsResult(
        prompts=[
            types.Prompt(
                name=name,
                arguments=[types.PromptArgument(name=one, required=True) for one in names],
            )
            for name, names in PROMPTS.items()
        ]
    )


async def get_prompt(_context: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    given = params.arguments or {}
    contents: dict[str, list[Any]] = {
        "test_simple_prompt": [text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments": [
            text("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'".format_map(given))
            if len(given) == 2
            else text("")
        ],
        "test_prompt_with_embedded_resource": [
            resource(
                given.get("resourceUri", "test://x"),
                "text/plain",
                "Embedded resource content for testing.",
            ),
            text("Please process the embedded resource above."),
        ],
        "test_prompt_with_image": [image(), text("Please analyze the image above.")],
    }
    messages = [types.PromptMessage(role="user", content=one) for one in contents[params.name]]
    return types.GetPromptResult(messages=messages)


def build_suite_server() -> Server[Any]:
    return Server(
        "suite",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


server.build_server = build_suite_server
application = McpApplication(asgi.application.site)
