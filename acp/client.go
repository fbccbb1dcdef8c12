package acp

import "context"

// Client handles the requests and notifications of an agent. Every method is called on the connection's read goroutine, in wire
// order, and must return at once, without a blocking call on the [Conn]. Work that takes time goes into the returned [Answer].
// A nil Answer means "method not found": the capability was not advertised.
type Client interface {
	SessionUpdate(*SessionNotification)
	RequestPermission(*RequestPermissionRequest) Answer[*RequestPermissionResponse]
	ReadTextFile(*ReadTextFileRequest) Answer[*ReadTextFileResponse]
	WriteTextFile(*WriteTextFileRequest) Answer[*WriteTextFileResponse]
	CreateTerminal(*CreateTerminalRequest) Answer[*CreateTerminalResponse]
	TerminalOutput(*TerminalOutputRequest) Answer[*TerminalOutputResponse]
	WaitForTerminalExit(*WaitForTerminalExitRequest) Answer[*WaitForTerminalExitResponse]
	KillTerminal(*KillTerminalRequest) Answer[*KillTerminalResponse]
	ReleaseTerminal(*ReleaseTerminalRequest) Answer[*ReleaseTerminalResponse]
	CreateElicitation(*CreateElicitationRequest) Answer[*CreateElicitationResponse]
	CompleteElicitation(*CompleteElicitationNotification)
}

// Answer computes the result of a request, on a goroutine of its own. Its context ends on $/cancel_request for the request
// and when the connection ends. An [*Error] is sent as it is, context.Canceled as CodeCancelled, any other error as
// CodeInternal with its text. It must return eventually, but nothing waits for it.
type Answer[R any] func(ctx context.Context) (R, error)

// Carrier is a message of an extension that has content, which [Options].Outgoing is to see.
type Carrier interface {
	// WithContent returns a copy with each list of blocks replaced by what a function makes of it.
	WithContent(func([]ContentBlock) ([]ContentBlock, error)) (any, error)
}

type sentKey struct{}

// Sent returns a channel that is closed once the answer computed under ctx is enqueued, for callers that must send something
// after it.
func Sent(ctx context.Context) <-chan struct{} {
	sent, _ := ctx.Value(sentKey{}).(chan struct{})
	return sent
}

// Reply returns an Answer with a known result.
func Reply[R any](result R, err error) Answer[R] {
	return func(context.Context) (R, error) { return result, err }
}

// Options are those of a connection. The zero value is useful.
type Options struct {
	MaxLine int  // longest message taken, in bytes; 0: 256 MiB
	Log     *Log // nil: a new one

	// Request and Notification handle methods that are not in the protocol, under the rules of [Client]. If nil, such requests
	// are answered with "method not found", and notifications ignored.
	Request      func(method string, params Raw) Answer[any]
	Notification func(method string, params Raw)

	// Garbled, if not nil, sees a line of the peer's, or a part of one, that has the beginning of a message and cannot be read as one:
	// an answer that somebody waits for may be missing. It is called on the read goroutine, must return at once, and must not keep it.
	Garbled func(text []byte)

	// Outgoing, if not nil, sees each typed message before it is encoded: the parameters of our requests and notifications, and
	// the results of the agent's requests. It returns what is sent, a copy where that differs. An error is that of the request.
	Outgoing func(message any) (any, error)
	// Incoming, if not nil, sees each typed message of the agent's, a pointer that is its own, and may change it, before
	// anything else does. It is called on the read goroutine and must return at once. An error refuses a request, fails a call,
	// or drops a notification.
	Incoming func(message any) error

	// ended converts the reader's last error to the error of pending calls. It runs after the last
	// message, on the read goroutine, and may take a moment: the state of a process is known a little after its pipes close.
	ended func(error) error
}
