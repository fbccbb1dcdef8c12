package mcp

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nvim-acp/nvim-acp/internal/caught"
)

// faultyDesk is a desk that fails when it is asked for something, and does nothing else.
type faultyDesk struct{ Desk }

func (faultyDesk) Used(Use) error { return nil }

func (faultyDesk) Ask(context.Context, Question) (Answer, error) { panic("a fault of the desk") }

func (faultyDesk) Know(context.Context, string, map[string]any, any) error {
	panic("a fault of the desk")
}

// A fault of the program in a tool or a resource is reported and answered with an error, and the next call works (behaviour 1200).
func TestFault(t *testing.T) {
	for _, test := range []struct {
		name string
		dial func(t *testing.T) *sdk.ClientSession
	}{
		{"stdio", func(t *testing.T) *sdk.ClientSession {
			s, end := serve(t, faultyDesk{}, nil)
			t.Cleanup(end)
			return s
		}},
		{"http", func(t *testing.T) *sdk.ClientSession {
			_, url := handleDesk(t, faultyDesk{}, func(int) {})
			return dial(t, url)
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			faults := make(chan *caught.Error, 2)
			caught.OnPanic(func(fault *caught.Error) { faults <- fault })
			t.Cleanup(func() { caught.OnPanic(func(*caught.Error) {}) })
			s := test.dial(t)

			fails := func(place string, err error) {
				t.Helper()
				var wrong *jsonrpc.Error
				if !errors.As(err, &wrong) || wrong.Code != jsonrpc.CodeInternalError {
					t.Errorf("%s is answered with %v", place, err)
				}
				select {
				case fault := <-faults:
					if fault.Place != place || !strings.Contains(string(fault.Stack), "faultyDesk") {
						t.Errorf("reported: %v\n%s", fault, fault.Stack)
					}
				default:
					t.Errorf("%s is not reported", place)
				}
			}

			_, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "ask", Arguments: map[string]any{"question": "?"}})
			fails("mcp.tools/call", err)
			_, err = s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: buffersURI})
			fails("mcp.resources/read", err)

			if list, err := s.ListTools(t.Context(), nil); err != nil || len(list.Tools) == 0 {
				t.Errorf("afterwards: %v, %v", list, err)
			}
		})
	}
}
