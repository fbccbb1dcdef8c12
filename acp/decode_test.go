package acp

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// decodeTest reads in as a T, writes it again, and compares with want, or with what the error begins with after "error: ".
type decodeTest struct{ name, in, want string }

func runDecode[T any](t *testing.T, tests []decodeTest) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := new(T)
			got := ""
			if err := decodeParams(Raw(test.in), v); err != nil {
				got = "error: " + strings.TrimPrefix(messageOf(err), "Invalid params: ")
			} else {
				text, err := Marshal(v)
				if err != nil {
					t.Fatal(err)
				}
				got = string(text)
			}
			if got != test.want && !(strings.HasPrefix(test.want, "error: ") && strings.HasPrefix(got, test.want)) {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
		})
	}
}

func messageOf(err error) string { return err.(*Error).Message }

// updateTests have the update alone: as it is sent, and as we write what we read.
var updateTests = []decodeTest{
	{"user chunk", `{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"a"},"messageId":"m"}`,
		`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"a"},"messageId":"m"}`},
	{"thought", `{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":""}}`,
		`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":""}}`},
	{"tag last", `{"content":{"text":"a","_meta":{"x":1},"type":"text"},"messageId":"m","sessionUpdate":"agent_message_chunk"}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a","_meta":{"x":1}},"messageId":"m"}`},
	{"messageId null", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":null}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}`},
	{"messageId a number", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":5}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":"5"}`},
	{"content a string", `{"sessionUpdate":"agent_message_chunk","content":"a"}`, `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}`},
	{"messageId malformed", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"},"messageId":[5]}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"a"}}`},
	{"image", `{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"aGk=","mimeType":"image/png","uri":null}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"aGk=","mimeType":"image/png"}}`},
	{"audio", `{"sessionUpdate":"agent_message_chunk","content":{"type":"audio","data":"aGk=","mimeType":"audio/wav"}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"audio","data":"aGk=","mimeType":"audio/wav"}}`},
	{"resource link", `{"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","uri":"file:///f","name":"f","size":"big","title":7}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource_link","name":"f","uri":"file:///f"}}`},
	{"resource text", `{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"u","text":"t"},"annotations":{"audience":["user",5,"robot"],"priority":"high"}}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"u","text":"t"},"annotations":{"audience":["user","robot"]}}}`},
	{"resource blob", `{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"u","blob":"aGk="}}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"resource","resource":{"uri":"u","blob":"aGk="}}}`},
	{"unknown content", `{"sessionUpdate":"agent_message_chunk","content":{"type":"hologram","x":[1, 2]}}`,
		`{"sessionUpdate":"agent_message_chunk","content":{"type":"hologram","x":[1,2]}}`},
	{"content without type", `{"sessionUpdate":"agent_message_chunk","content":{"text":"a"}}`, `error: update: content: type: missing`},
	{"content null", `{"sessionUpdate":"agent_message_chunk","content":null}`, `error: update: content: is null`},
	{"content missing", `{"sessionUpdate":"agent_message_chunk"}`, `error: update: content: missing`},
	{"text missing", `{"sessionUpdate":"agent_message_chunk","content":{"type":"text"}}`, `error: update: content: text: missing`},
	{"unknown", `{"sessionUpdate":"_vendor","toolCallId":"c","title":"t","content":[]}`, `{"sessionUpdate":"_vendor","toolCallId":"c","title":"t","content":[]}`},
	{"plan_update", `{"plan":{"type":"items"},"sessionUpdate":"plan_update"}`, `{"plan":{"type":"items"},"sessionUpdate":"plan_update"}`},
	{"without tag", `{"content":{"type":"text","text":"a"}}`, `error: update: sessionUpdate: missing`},
	{"tag is a number", `{"sessionUpdate":5}`, `error: update: sessionUpdate is not a string`},
	{"update is a string", `"tool_call"`, `error: update: is string, not object`},

	{"minimal call", `{"sessionUpdate":"tool_call","toolCallId":"c","title":"T"}`, `{"sessionUpdate":"tool_call","toolCallId":"c","title":"T"}`},
	{"unknown kind", `{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","kind":"fly","status":"_x"}`,
		`{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","kind":"fly","status":"_x"}`},
	{"kind 5", `{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","kind":5,"status":{}}`, `{"sessionUpdate":"tool_call","toolCallId":"c","title":"T"}`},
	{"call without title", `{"sessionUpdate":"tool_call","toolCallId":"c"}`, `{"sessionUpdate":"tool_call","toolCallId":"c","title":""}`},
	{"call with null", `{"sessionUpdate":"tool_call","toolCallId":null,"title":null}`, `{"sessionUpdate":"tool_call","toolCallId":"","title":""}`},
	{"call of a number", `{"sessionUpdate":"tool_call","toolCallId":7,"title":["a"]}`, `{"sessionUpdate":"tool_call","toolCallId":"7","title":""}`},
	{"only status", `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}`, `{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed"}`},
	{"content []", `{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[],"locations":[]}`, `{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[],"locations":[]}`},
	{"content null", `{"sessionUpdate":"tool_call_update","toolCallId":"c","content":null,"title":null,"kind":null,"rawInput":null}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":null}`},
	{"content malformed", `{"sessionUpdate":"tool_call_update","toolCallId":"c","content":"x","locations":{}}`, `{"sessionUpdate":"tool_call_update","toolCallId":"c"}`},
	{"one malformed item", `{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"diff"},5,null,{"type":"terminal","terminalId":"t"},{"type":"content","content":{"type":"text","text":"a"}}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"terminal","terminalId":"t"},{"type":"content","content":{"type":"text","text":"a"}}]}`},
	{"bare block", `{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"text","text":"a"}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"a"}}]}`},
	{"unknown tool content", `{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"chart","d":1}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"chart","d":1}]}`},
	{"diffs", `{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"diff","path":"/a","newText":"n"},{"type":"diff","path":"/a","oldText":null,"newText":"n"},{"type":"diff","path":"/a","oldText":"","newText":"n"}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"diff","path":"/a","newText":"n"},{"type":"diff","path":"/a","newText":"n"},{"type":"diff","path":"/a","oldText":"","newText":"n"}]}`},
	{"locations", `{"sessionUpdate":"tool_call_update","toolCallId":"c","locations":[{"path":"/a","line":-1},{"path":"/b","line":3},{"line":3}]}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","locations":[{"path":"/a"},{"path":"/b","line":3}]}`},
	{"name", `{"sessionUpdate":"tool_call_update","toolCallId":"c","name":"bash","title":""}`, `{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"","name":"bash"}`},
	{"raw input", `{"sessionUpdate":"tool_call_update","toolCallId":"c","rawInput":{"a": [1]},"rawOutput":"x"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","rawInput":{"a":[1]},"rawOutput":"x"}`},
	{"names in another case", `{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"rm","TITLE":"ls","Kind":"read","RAWINPUT":{"a":1},"ToolCallId":"d"}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"rm"}`},
	{"meta kept", `{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"data":"x","terminal_id":"t"}}}`,
		`{"sessionUpdate":"tool_call_update","toolCallId":"c","_meta":{"terminal_output":{"data":"x","terminal_id":"t"}}}`},

	{"plan", `{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"blocked"},{"content":"b"},{"content":"c","priority":"low","status":"pending"}]}`,
		`{"sessionUpdate":"plan","entries":[{"content":"a","priority":"high","status":"blocked"},{"content":"b","priority":"","status":""},{"content":"c","priority":"low","status":"pending"}]}`},
	{"plan malformed", `{"sessionUpdate":"plan","entries":5}`, `{"sessionUpdate":"plan","entries":[]}`},
	{"plan null", `{"sessionUpdate":"plan","entries":null}`, `{"sessionUpdate":"plan","entries":[]}`},
	{"plan missing", `{"sessionUpdate":"plan"}`, `error: update: entries: missing`},
	{"commands", `{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","description":"d","input":{"hint":"h"}},{"name":"b","description":"d","input":null},{"name":"c","description":"d","input":{"type":"x"}},{"name":"d"},{"description":"d"}]}`,
		`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"a","description":"d","input":{"hint":"h"}},{"name":"b","description":"d"},{"name":"c","description":"d"},{"name":"d","description":""}]}`},
	{"no commands", `{"sessionUpdate":"available_commands_update","availableCommands":[]}`, `{"sessionUpdate":"available_commands_update","availableCommands":[]}`},
	{"mode", `{"sessionUpdate":"current_mode_update","currentModeId":"m"}`, `{"sessionUpdate":"current_mode_update","currentModeId":"m"}`},
	{"modeId", `{"sessionUpdate":"current_mode_update","modeId":"m"}`, `{"sessionUpdate":"current_mode_update","currentModeId":"m"}`},
	{"no mode", `{"sessionUpdate":"current_mode_update"}`, `error: update: currentModeId: missing`},
	{"usage", `{"sessionUpdate":"usage_update","used":1,"size":18446744073709551615,"cost":{"amount":0.5,"currency":"credits"}}`,
		`{"sessionUpdate":"usage_update","used":1,"size":18446744073709551615,"cost":{"amount":0.5,"currency":"credits"}}`},
	{"usage without cost", `{"sessionUpdate":"usage_update","used":1,"size":2,"cost":{"amount":"x"}}`, `{"sessionUpdate":"usage_update","used":1,"size":2}`},
	{"negative usage", `{"sessionUpdate":"usage_update","used":-1,"size":2}`, `error: update: used: `},
	{"info", `{"sessionUpdate":"session_info_update","title":"t"}`, `{"sessionUpdate":"session_info_update","title":"t"}`},
	{"info null", `{"sessionUpdate":"session_info_update","title":null,"updatedAt":5}`, `{"sessionUpdate":"session_info_update","title":null}`},
	{"notice", `{"sessionUpdate":"notice","severity":"_odd","title":"t","description":null}`, `{"sessionUpdate":"notice","severity":"_odd","title":"t"}`},
	{"bare notice", `{"sessionUpdate":"notice","description":"d"}`, `{"sessionUpdate":"notice","severity":"","title":"","description":"d"}`},
	{"bare compaction", `{"sessionUpdate":"compaction_update","compactionId":"c"}`, `{"sessionUpdate":"compaction_update","compactionId":"c","status":""}`},
	{"compaction", `{"sessionUpdate":"compaction_update","compactionId":"c","status":"_odd","summary":null,"error":null}`,
		`{"sessionUpdate":"compaction_update","compactionId":"c","status":"_odd","summary":null,"error":null}`},
	{"compaction []", `{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed","summary":[],"_meta":null}`,
		`{"sessionUpdate":"compaction_update","compactionId":"c","status":"completed","summary":[],"_meta":{}}`},
	{"summary chunk", `{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"a"}}`,
		`{"sessionUpdate":"compaction_summary_chunk","compactionId":"c","content":{"type":"text","text":"a"}}`},
	{"config options", `{"sessionUpdate":"config_option_update","configOptions":[{"type":"boolean","id":"b","name":"B","currentValue":true}]}`,
		`{"sessionUpdate":"config_option_update","configOptions":[{"type":"boolean","id":"b","name":"B","currentValue":true}]}`},
}

func TestDecodeUpdate(t *testing.T) {
	tests := slices.Clone(updateTests)
	for i := range tests {
		tests[i].in = `{"sessionId":"s","update":` + tests[i].in + `}`
		if !strings.HasPrefix(tests[i].want, "error: ") {
			tests[i].want = `{"sessionId":"s","update":` + tests[i].want + `}`
		}
	}
	runDecode[SessionNotification](t, tests)
}

func TestDecodeInitialize(t *testing.T) {
	runDecode[InitializeResponse](t, []decodeTest{
		{"only a version", `{"protocolVersion":1}`, `{"protocolVersion":1}`},
		{"another version", `{"protocolVersion":99}`, `{"protocolVersion":99}`},
		{"version missing", `{}`, `error: protocolVersion: missing`},
		{"version is a string", `{"protocolVersion":"1"}`, `error: protocolVersion: is string, not number`},
		{"capabilities null", `{"protocolVersion":1,"agentCapabilities":null}`, `{"protocolVersion":1}`},
		{"capabilities malformed", `{"protocolVersion":1,"agentCapabilities":{"loadSession":"yes","promptCapabilities":[],"mcpCapabilities":{"http":true}}}`,
			`{"protocolVersion":1,"agentCapabilities":{"mcpCapabilities":{"http":true}}}`},
		{"unknown", `{"protocolVersion":1,"agentCapabilities":{"providers":{},"x":1,"_meta":{"a":1}}}`, `{"protocolVersion":1,"agentCapabilities":{"_meta":{"a":1}}}`},
		{"presence", `{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":null,"resume":{},"close":true,"fork":{}}}}`,
			`{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"resume":{},"fork":{}}}}`},
		{"auth methods", `{"protocolVersion":1,"authMethods":[{"id":"a","name":"A"},{"name":"no id"},{"id":"t","name":"T","type":"terminal","args":["x"],"env":{"K":"v"}},{"id":"e","name":"E","type":"env_var","args":null}]}`,
			`{"protocolVersion":1,"authMethods":[{"id":"a","name":"A"},{"type":"terminal","id":"t","name":"T","args":["x"],"env":{"K":"v"}},{"type":"env_var","id":"e","name":"E"}]}`},
		{"info malformed", `{"protocolVersion":1,"agentInfo":{"name":"x"}}`, `{"protocolVersion":1}`},
		{"version 2", `{"protocolVersion":2,"info":{"name":"a"},"capabilities":{"session":{}},"authMethods":[{"methodId":"m","type":"agent"}]}`, `{"protocolVersion":2,"authMethods":[]}`},
	})
}

func TestDecodeSession(t *testing.T) {
	runDecode[NewSessionResponse](t, []decodeTest{
		{"only an id", `{"sessionId":"s","modes":null,"configOptions":null}`, `{"sessionId":"s"}`},
		{"models", `{"sessionId":"s","models":{"currentModelId":"m","availableModels":[{"modelId":"m","name":"M","description":null},{"name":"x"}]}}`,
			`{"sessionId":"s","models":{"currentModelId":"m","availableModels":[{"modelId":"m","name":"M"}]}}`},
		{"models malformed", `{"sessionId":"s","models":["m"]}`, `{"sessionId":"s"}`},
		{"modes", `{"sessionId":"s","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"},5]}}`, `{"sessionId":"s","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"}]}}`},
		{"unknown option", `{"sessionId":"s","configOptions":[{"type":"slider","id":"x","name":"X","currentValue":1},{"type":"select","id":"m","name":"M","category":"_odd","currentValue":"a","options":[{"value":"a","name":"A"},{"name":"no value"}]}]}`,
			`{"sessionId":"s","configOptions":[{"type":"select","id":"m","name":"M","category":"_odd","currentValue":"a","options":[{"value":"a","name":"A"}]}]}`},
		{"groups", `{"sessionId":"s","configOptions":[{"type":"select","id":"m","name":"M","currentValue":"a","options":[{"group":"g","name":"G","options":[{"value":"a","name":"A","description":"d"}]}]}]}`,
			`{"sessionId":"s","configOptions":[{"type":"select","id":"m","name":"M","currentValue":"a","options":[{"group":"g","name":"G","options":[{"value":"a","name":"A","description":"d"}]}]}]}`},
		{"boolean", `{"sessionId":"s","configOptions":[{"type":"boolean","id":"b","name":"B","currentValue":false},{"type":"boolean","id":"c","name":"C","currentValue":"no"}]}`,
			`{"sessionId":"s","configOptions":[{"type":"boolean","id":"b","name":"B","currentValue":false}]}`},
		{"options of another type", `{"sessionId":"s","configOptions":{"a":1}}`, `{"sessionId":"s"}`},
	})
	runDecode[ListSessionsResponse](t, []decodeTest{
		{"a cursor", `{"sessions":[],"nextCursor":"  x/y== "}`, `{"sessions":[],"nextCursor":"  x/y== "}`},
		{"nextCursor null", `{"sessions":[],"nextCursor":null}`, `{"sessions":[]}`},
		{"a malformed entry", `{"sessions":[{"sessionId":"a"},{"sessionId":"b","cwd":"/w"}]}`, `{"sessions":[{"sessionId":"b","cwd":"/w"}]}`},
		{"nulls", `{"sessions":[{"sessionId":"b","cwd":"/w","title":null,"updatedAt":null,"additionalDirectories":null}]}`, `{"sessions":[{"sessionId":"b","cwd":"/w"}]}`},
		{"bad time", `{"sessions":[{"sessionId":"b","cwd":"/w","updatedAt":17,"title":"t"}]}`, `{"sessions":[{"sessionId":"b","cwd":"/w","title":"t"}]}`},
	})
	runDecode[PromptResponse](t, []decodeTest{
		{"usage", `{"stopReason":"end_turn","usage":{"totalTokens":3,"inputTokens":1,"outputTokens":2,"thoughtTokens":null}}`,
			`{"stopReason":"end_turn","usage":{"totalTokens":3,"inputTokens":1,"outputTokens":2}}`},
		{"usage malformed", `{"stopReason":"end_turn","usage":{"totalTokens":3}}`, `{"stopReason":"end_turn"}`},
	})
}

func TestDecodeRequests(t *testing.T) {
	runDecode[RequestPermissionRequest](t, []decodeTest{
		{"unknown kind", `{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"o","name":"O","kind":"_odd"}]}`,
			`{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"o","name":"O","kind":"_odd"}]}`},
		{"no options", `{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[]}`, `{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[]}`},
		{"options null", `{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":null}`, `error: options: is null`},
		{"option without kind", `{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"o","name":"O"}]}`, `error: options: item 0: kind: missing`},
		{"a diff", `{"sessionId":"s","toolCall":{"toolCallId":"c","title":"T","content":[{"type":"diff","path":"/a","newText":"n"}]},"options":[]}`,
			`{"sessionId":"s","toolCall":{"toolCallId":"c","title":"T","content":[{"type":"diff","path":"/a","newText":"n"}]},"options":[]}`},
	})
	runDecode[ReadTextFileRequest](t, []decodeTest{
		{"I154", `{"sessionId":"s","path":"/f","line":10,"limit":50}`, `{"sessionId":"s","path":"/f","line":10,"limit":50}`},
		{"null line", `{"sessionId":"s","path":"/f","line":null}`, `{"sessionId":"s","path":"/f"}`},
		{"zero", `{"sessionId":"s","path":"/f","line":0,"limit":0}`, `{"sessionId":"s","path":"/f","line":0,"limit":0}`},
		{"negative line", `{"sessionId":"s","path":"/f","line":-1}`, `error: line: `},
		{"line is a string", `{"sessionId":"s","path":"/f","line":"10"}`, `error: line: is string, not number`},
		{"line is a fraction", `{"sessionId":"s","path":"/f","line":1.5}`, `error: line: `},
		{"path null", `{"sessionId":"s","path":null}`, `error: path: is null`},
	})
	runDecode[CreateTerminalRequest](t, []decodeTest{
		{"a shell line", `{"sessionId":"s","command":"ls -la && echo hi","env":[{"name":"A","value":"1"}],"outputByteLimit":32000}`,
			`{"sessionId":"s","command":"ls -la && echo hi","env":[{"name":"A","value":"1"}],"outputByteLimit":32000}`},
		{"no arguments", `{"sessionId":"s","command":"ls","args":[],"env":null}`, `{"sessionId":"s","command":"ls","args":[]}`},
		{"args null", `{"sessionId":"s","command":"ls","args":null}`, `{"sessionId":"s","command":"ls"}`},
		{"no command", `{"sessionId":"s"}`, `error: command: missing`},
		{"args malformed", `{"sessionId":"s","command":"ls","args":["a",5]}`, `error: args: item 1: is number, not string`},
		{"env malformed", `{"sessionId":"s","command":"ls","env":[{"name":"A"}]}`, `error: env: item 0: value: missing`},
	})
	runDecode[CreateElicitationRequest](t, []decodeTest{
		{"every property", `{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"z":{"type":"string","minLength":1,"format":"date"},"a":{"type":"integer","default":3},"n":{"type":"number","maximum":1.5},"b":{"type":"boolean","default":true},"l":{"type":"array","items":{"type":"string","enum":["x","y"]},"default":["x",5]},"t":{"type":"array","items":{"anyOf":[{"const":"c","title":"C"}]}},"o":{"type":"string","oneOf":[{"const":"c","title":"C"}]}},"required":["z"]}}`,
			`{"message":"m","mode":"form","sessionId":"s","requestedSchema":{"type":"object","properties":{"z":{"type":"string","minLength":1,"format":"date"},"a":{"type":"integer","default":3},"n":{"type":"number","maximum":1.5},"b":{"type":"boolean","default":true},"l":{"type":"array","items":{"type":"string","enum":["x","y"]},"default":["x"]},"t":{"type":"array","items":{"anyOf":[{"const":"c","title":"C"}]}},"o":{"type":"string","oneOf":[{"const":"c","title":"C"}]}},"required":["z"]}}`},
		{"unknown mode", `{"sessionId":"s","mode":"_voice","message":"m","x":1}`, `{"message":"m","mode":"_voice","sessionId":"s"}`},
		{"no mode", `{"sessionId":"s","message":"m","requestedSchema":{}}`, `error: mode: missing`},
		{"both scopes", `{"sessionId":"s","requestId":1,"mode":"_x","message":"m"}`, `error: needs either sessionId or requestId`},
		{"no scope", `{"mode":"_x","message":"m"}`, `error: needs either sessionId or requestId`},
		{"of a request", `{"requestId":"r","mode":"url","message":"m","elicitationId":"e","url":"https://x"}`, `{"message":"m","mode":"url","requestId":"r","elicitationId":"e","url":"https://x"}`},
		{"form without schema", `{"sessionId":"s","mode":"form","message":"m"}`, `error: requestedSchema: missing`},
		{"url without id", `{"sessionId":"s","mode":"url","message":"m","url":"https://x"}`, `error: elicitationId or url: missing`},
		{"unknown property", `{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"properties":{"p":{"type":"color","x":1}}}}`,
			`{"message":"m","mode":"form","sessionId":"s","requestedSchema":{"properties":{"p":{"type":"color","x":1}}}}`},
		{"unknown format", `{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"properties":{"p":{"type":"string","format":"ipv6"}}}}`,
			`{"message":"m","mode":"form","sessionId":"s","requestedSchema":{"properties":{"p":{"type":"string","format":"ipv6"}}}}`},
		{"empty schema", `{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":5}}`, `{"message":"m","mode":"form","sessionId":"s","requestedSchema":{"properties":{}}}`},
	})
}

func TestEncode(t *testing.T) {
	yes := true
	tests := []struct {
		name string
		v    any
		want string
	}{
		{"elicitation form only", ClientCapabilities{Elicitation: &ElicitationCapabilities{Form: &Supported{}}},
			`{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false,"auth":{"terminal":false},"elicitation":{"form":{}}}`},
		{"everything", ClientCapabilities{
			FS: FileSystemCapabilities{ReadTextFile: true, WriteTextFile: true}, Terminal: true,
			Session:     &ClientSessionCapabilities{ConfigOptions: &SessionConfigOptionsCapabilities{Boolean: &Supported{}}, Notices: &Supported{}, Compaction: &Supported{}},
			Auth:        AuthCapabilities{Terminal: true},
			Elicitation: &ElicitationCapabilities{Form: &Supported{}, URL: &Supported{}},
			Meta:        Meta{"terminal_output": Raw("true"), "terminal-auth": Raw("true")}},
			`{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true,"session":{"compaction":{},"configOptions":{"boolean":{}},"notices":{}},"auth":{"terminal":true},"elicitation":{"form":{},"url":{}},"_meta":{"terminal-auth":true,"terminal_output":true}}`},
		{"servers", &NewSessionRequest{Cwd: "/w", MCPServers: []MCPServer{&MCPServerStdio{Name: "n", Command: "/c"}, &MCPServerHTTP{Name: "h", URL: "u"},
			&MCPServerSSE{Name: "e", URL: "u", Headers: []HTTPHeader{{Name: "A", Value: "b"}}}}},
			`{"cwd":"/w","mcpServers":[{"name":"n","command":"/c","args":[],"env":[]},{"type":"http","name":"h","url":"u","headers":[]},{"type":"sse","name":"e","url":"u","headers":[{"name":"A","value":"b"}]}]}`},
		{"no folders", &ResumeSessionRequest{SessionID: "s", Cwd: "/w", AdditionalDirectories: []string{}}, `{"sessionId":"s","cwd":"/w"}`},
		{"a select", &SetSessionConfigOptionRequest{SessionID: "s", ConfigID: "c", Value: "v"}, `{"sessionId":"s","configId":"c","value":"v"}`},
		{"a boolean", &SetSessionConfigOptionRequest{SessionID: "s", ConfigID: "c", Bool: &yes}, `{"sessionId":"s","configId":"c","type":"boolean","value":true}`},
		{"accept", &CreateElicitationResponse{Action: ElicitationAccept, Content: map[string]any{"i": int64(3), "f": 0.5, "s": "x", "b": true, "l": []string{"a"}}},
			`{"action":"accept","content":{"b":true,"f":0.5,"i":3,"l":["a"],"s":"x"}}`},
		{"decline", &CreateElicitationResponse{Action: ElicitationDecline}, `{"action":"decline"}`},
		{"output", &TerminalOutputResponse{Output: "x", ExitStatus: &TerminalExitStatus{}}, `{"output":"x","truncated":false,"exitStatus":{"exitCode":null,"signal":null}}`},
		{"running", &TerminalOutputResponse{}, `{"output":"","truncated":false}`},
		{"no escapes for HTML", Text("<a> & \u2028\n"), `{"type":"text","text":"<a> & ` + "\u2028" + `\n"}`},
		{"prompt", &PromptRequest{SessionID: "s", Prompt: []ContentBlock{&EmbeddedResource{Resource: &TextResourceContents{URI: "file:///f", Text: "t"}}}},
			`{"sessionId":"s","prompt":[{"type":"resource","resource":{"uri":"file:///f","text":"t"}}]}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := Marshal(test.v)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
		})
	}
}

// The Go values have the content that the tables above do not show.
func TestDecodedValues(t *testing.T) {
	var n SessionNotification
	line := []byte(`{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"T","rawInput":{"a":1}}}`)
	if err := Unmarshal(line, &n); err != nil {
		t.Fatal(err)
	}
	clear(line) // what is kept raw is a copy
	call := n.Update.(*ToolCall)
	call.Defaults()
	want := &ToolCall{ToolCallID: "c", Title: "T", Kind: ToolKindOther, Status: ToolCallPending, RawInput: Raw(`{"a":1}`)}
	if !reflect.DeepEqual(call, want) {
		t.Errorf("got %+v, want %+v", call, want)
	}

	var info SessionInfoUpdate
	if err := Unmarshal([]byte(`{"title":null}`), &info); err != nil {
		t.Fatal(err)
	}
	if got := info.Title.Or("old") + info.UpdatedAt.Or("kept"); got != "kept" {
		t.Errorf("got %q, want kept", got)
	}

	option := SessionConfigOption{Groups: []SessionConfigSelectGroup{{Options: []SessionConfigSelectOption{{Value: "a"}}}, {Options: []SessionConfigSelectOption{{Value: "b"}}}}}
	if got := fmt.Sprint(option.All()); !strings.Contains(got, "{a ") || !strings.Contains(got, "{b ") {
		t.Errorf("got %s", got)
	}
	if got := (&Implementation{Name: "n", Title: "T"}).Display() + (&Implementation{Name: "n"}).Display(); got != "Tn" {
		t.Errorf("got %s, want Tn", got)
	}
}

// The text of an error is the human one, however deep it is nested (behaviours 9, 143).
func TestErrorText(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", `{"code":-32603,"message":"boom"}`, "boom"},
		{"with a code", `{"code":-32000,"message":"Authentication required"}`, "Authentication required (-32000)"},
		{"details", `{"code":-32603,"message":"Internal error","data":{"details":"no such model"}}`, "no such model"},
		{"details beside a text", `{"code":-32603,"message":"Turn failed","data":{"details":"no such model"}}`, "Turn failed: no such model"},
		{"nested details", `{"code":-32603,"message":"Internal error","data":{"error":{"details":{"message":"deep"}}}}`, "deep"},
		{"message is JSON, code of HTTP", `{"code":400,"message":"{\"error\":{\"code\":400,\"message\":\"bad key\",\"status\":\"X\"}}"}`, "bad key (400)"},
		{"JSON in JSON", `{"code":500,"message":"[{\"error\":{\"message\":\"{\\\"error\\\":{\\\"message\\\":\\\"twice\\\"}}\"}}]"}`, "twice (500)"},
		{"JSON behind words", `{"code":-32603,"message":"Internal error","data":{"details":"API Error: 429 {\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"too many tokens\"}}"}}`, "API Error: 429: too many tokens"},
		{"braces behind words", `{"code":-32603,"message":"unexpected { in {\"a\":1}"}`, "unexpected { in {\"a\":1}"},
		{"data is a string", `{"code":-32603,"message":"Internal error","data":"why"}`, "why"},
		{"data repeats", `{"code":-32603,"message":"Internal error: why","data":{"details":"why"}}`, "Internal error: why"},
		{"data without a text", `{"code":-32603,"message":"x","data":{"a":[1]}}`, "x"},
		{"nothing", `{"code":-32603,"message":""}`, "unknown error"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var e Error
			if err := Unmarshal([]byte(test.in), &e); err != nil {
				t.Fatal(err)
			}
			if got := e.Error(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
