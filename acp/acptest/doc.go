// Package acptest plays the agent's side of a connection from a file: a script written by hand, or a recording of a
// real agent. `nvim-acp agent --script FILE` and `--replay FILE` run it as a process, tests over a pipe. It has its own
// few lines of JSON-RPC, so that it cannot share a mistake with package acp. Nothing here starts a goroutine that
// outlives its call, but for a reader that ends with its input.
//
// # Scripts
//
// A script is a list of lines, played in order. Empty lines and lines that begin with # are skipped; a line that begins
// with a space or a tab continues the one before it. What the client must send:
//
//	< METHOD {FIELDS}       its next message is this request or notification, with these params
//	< {FIELDS}              … is a result for one of our requests
//	< error {FIELDS}        … is an error for one of our requests
//	< $2 {FIELDS}           … is the result for our second request
//	< eof                   it closes its end
//	any < …                 drops what comes before that; dropped requests get -32601
//	allow METHOD {RESULT}   from here on this method may come at any time, and gets this result if it is a request
//
// FIELDS need not be given. Those given must match, in depth: an object may have further fields, an array may not have
// further elements, null stands for a missing field too, and "$_" for anything. What is sent:
//
//	> {…}                   the result for the last open request
//	> error {…}             an error for it
//	> answer METHOD {…}     the result for the oldest open request of that method
//	> METHOD {…}            a notification
//	> request METHOD {…}    a request of ours; their ids are 1, 2, 3 …
//	raw TEXT                the line TEXT, whatever it is
//	bytes "TEXT"            the bytes of a Go string literal, with no line end added
//
// What else an agent does:
//
//	stderr TEXT             writes a line to its standard error
//	write FILE "TEXT"       writes a file by itself; the text is a Go string literal
//	spawn COMMAND           starts a shell command that it never waits for
//	wait FILE               goes on once the file exists
//	pause DURATION          goes on later: for measuring, not for stories
//	hang                    neither reads nor writes any more
//	exit STATUS             ends at once
//	repeat N … end          plays the lines between N times, with $i counting from 1
//
// Variables: a string "$name" in FIELDS takes any value the first time, and $name stands for it from then on. $CWD is
// the working directory of the latest session/new, session/load or session/resume, $id the id of the last open request,
// $last that of our latest one.
// A $name that never got a value stays as it is.
//
// After its last line a script reads on until the client closes its end. A request then is a mismatch.
package acptest
