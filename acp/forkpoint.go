package acp

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Some agents copy a conversation only up to a message, which session/fork has in its _meta. No capability says so, and others
// ignore it and copy everything.

// forksAt has the first versions that are known to do so, by the name in agentInfo.
var forksAt = map[string][]int{
	"@agentclientprotocol/claude-agent-acp": {0, 100},
	"@agentclientprotocol/codex-acp":        {2, 6},
}

// ForksAtMessages reports whether the agent can fork a session at a message.
func (i *Implementation) ForksAtMessages() bool {
	if i == nil {
		return false
	}
	first, known := forksAt[i.Name]
	return known && slices.Compare(version(i.Version), first) >= 0
}

// version returns the numbers of a version such as "1.2.3"; what is not a number ends it.
func version(text string) []int {
	var numbers []int
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		numbers = append(numbers, n)
	}
	return numbers
}

// ForkAt returns the _meta of a [ForkSessionRequest] whose copy ends with a message of the agent's.
func ForkAt(messageID string) Meta {
	id, err := json.Marshal(messageID)
	if err != nil {
		return nil // strings always encode
	}
	return Meta{"jetbrains": Raw(`{"air":{"fork":{"version":1,"messageId":` + string(id) + `}}}`)}
}
