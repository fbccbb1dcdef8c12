package demo

import "encoding/json"

// The modes and models. A model of this agent is no more than how much it says.
const (
	modeAsk     = "ask"
	modePlan    = "plan"
	modelBrief  = "brief"
	modelChatty = "chatty"
)

// A choice is a value of an option.
type choice struct{ id, name, description string }

var modes = []choice{
	{modeAsk, "Ask", "Proposes changes and asks before each"},
	{modePlan, "Plan", "Explains what it would do and changes nothing"},
}

var models = []choice{
	{modelBrief, "Brief", "Says what it found"},
	{modelChatty, "Chatty", "Says what it found and why it matters"},
}

// known reports whether id is one of the choices.
func known(choices []choice, id string) bool {
	for _, c := range choices {
		if c.id == id {
			return true
		}
	}
	return false
}

// list makes the choices into JSON, with the name that the id has in the protocol.
func list(choices []choice, id string) []object {
	var values []object
	for _, c := range choices {
		values = append(values, object{id: c.id, "name": c.name, "description": c.description})
	}
	return values
}

// options is the complete list of a session's options.
func (s *session) options() []object {
	state := s.view()
	options := []object{
		{
			"id": "mode", "name": "Mode", "category": "mode", "type": "select",
			"currentValue": state.Mode, "options": list(modes, "value"),
		},
		{
			"id": "model", "name": "Model", "category": "model", "type": "select",
			"currentValue": state.Model, "options": list(models, "value"),
		},
	}
	if s.boolean {
		options = append(options, object{
			"id": "check", "name": "Check", "description": "Run a command after a change", "category": "model_config",
			"type": "boolean", "currentValue": state.Check,
		})
	}

	return options
}

// opened is the part of the answer that new, load and resume have in common.
func (s *session) opened() object {
	return object{
		"modes":         object{"currentModeId": s.view().Mode, "availableModes": list(modes, "id")},
		"configOptions": s.options(),
	}
}

func (a *agent) setMode(params json.RawMessage) (any, func(), error) {
	var request struct {
		SessionID string `json:"sessionId"`
		ModeID    string `json:"modeId"`
	}
	if err := decode(params, &request); err != nil {
		return nil, nil, err
	}

	s, err := a.session(request.SessionID)
	if err != nil {
		return nil, nil, err
	}
	if !known(modes, request.ModeID) {
		return nil, nil, failure(codeParams, "Invalid params: no mode %q", request.ModeID)
	}

	s.change(func(k *kept) { k.Mode = request.ModeID })
	return object{}, func() {
		s.tell(object{"sessionUpdate": "current_mode_update", "currentModeId": request.ModeID})
		s.tell(object{"sessionUpdate": "config_option_update", "configOptions": s.options()})
	}, nil
}

func (a *agent) setOption(params json.RawMessage) (any, func(), error) {
	var request struct {
		SessionID string `json:"sessionId"`
		ConfigID  string `json:"configId"`
		Value     any    `json:"value"`
	}
	if err := decode(params, &request); err != nil {
		return nil, nil, err
	}

	s, err := a.session(request.SessionID)
	if err != nil {
		return nil, nil, err
	}

	text, _ := request.Value.(string)
	var after func()
	switch check, isBool := request.Value.(bool); {
	case request.ConfigID == "mode" && known(modes, text):
		s.change(func(k *kept) { k.Mode = text })
		after = func() { s.tell(object{"sessionUpdate": "current_mode_update", "currentModeId": text}) }
	case request.ConfigID == "model" && known(models, text):
		s.change(func(k *kept) { k.Model = text })
	case request.ConfigID == "check" && isBool:
		s.change(func(k *kept) { k.Check = check })
	default:
		return nil, nil, failure(codeParams, "Invalid params: option %q cannot be %v", request.ConfigID, request.Value)
	}

	return object{"configOptions": s.options()}, after, nil
}
