package acp

import "context"

// Client is what an agent may ask of us. Every method is called on the connection's read goroutine, in wire order, and
// must return at once, without a blocking call on the [Conn]. What takes time goes into the returned [Answer].
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
// CodeInternal with its text. It must return in the end, but nothing waits for it.
type Answer[R any] func(ctx context.Context) (R, error)

type sentKey struct{}

// Sent returns a channel that is closed once the answer that is computed under ctx has its place in the order of what is
// sent. It is for those who must send something after it.
func Sent(ctx context.Context) <-chan struct{} {
	sent, _ := ctx.Value(sentKey{}).(chan struct{})
	return sent
}

// Reply is an Answer that is known already.
func Reply[R any](result R, err error) Answer[R] {
	return func(context.Context) (R, error) { return result, err }
}

// Options are those of a connection. The zero value is useful.
type Options struct {
	MaxLine int  // longest message taken, in bytes; 0: 256 MiB
	Log     *Log // nil: a new one

	// Request is asked for requests that are not in the protocol, and Notification is told of such notifications, under
	// the rules of [Client]. Nil: answered with "method not found", and ignored.
	Request      func(method string, params Raw) Answer[any]
	Notification func(method string, params Raw)

	// ended turns what the reader ended with into the error that pending calls fail with. It runs after the last
	// message, on the read goroutine, and may take a moment: the state of a process is known a little after its pipes close.
	ended func(error) error
}
