package docker

import (
	"fmt"
	"strings"
	"syscall"

	"github.com/tuttinode/tutti/core/fault"
)

// Evidence is the information about a container that does not run.
type Evidence struct {
	// Engine is the text of the engine's error, or of the container's state.
	Engine string
	// Lines are the last lines that the container printed, oldest first.
	Lines []string
	// LastStderr is the last line on standard error, "" for none. The order of lines
	// between the two streams is not reliable.
	LastStderr string
	// ExitCode is the program's exit status, 0 if it did not start.
	ExitCode int
	// OOMKilled means that the kernel killed one of its processes for lack of memory.
	OOMKilled bool
}

// Finding is the conclusion from the evidence.
type Finding struct {
	Code fault.Code
	// Detail is a short explanation without text of the engine or the container.
	Detail string
	// Line is the matching text of the engine or the container, for the node's own log and
	// pages.
	Line string
}

// Classify finds out why a container did not start or has ended. An OOM kill takes
// precedence over the engine's text, and that over the container's output. Without a match
// the code is DockerFailed if the engine reported an error, else ContainerExited.
func Classify(e Evidence) Finding {
	if e.OOMKilled {
		return Finding{Code: fault.ContainerOOM, Detail: "killed for lack of main memory", Line: e.reasonLine()}
	}
	if e.Engine != "" {
		if f, ok := match(enginePatterns, e.Engine); ok {
			return f
		}
	}
	for i := len(e.Lines) - 1; i >= 0; i-- {
		if f, ok := match(runnerPatterns, e.Lines[i]); ok {
			return f
		}
	}
	if e.Engine != "" {
		return Finding{Code: fault.DockerFailed, Line: clean(e.Engine)}
	}
	return unexplainedExit(e.ExitCode, e.reasonLine())
}

// reasonLine returns the line that most likely contains the reason.
func (e *Evidence) reasonLine() string {
	if e.LastStderr != "" || len(e.Lines) == 0 {
		return clean(e.LastStderr)
	}
	return clean(e.Lines[len(e.Lines)-1])
}

// Exit statuses that shells and the engine give a meaning.
const (
	exitCannotRun = 126
	exitNotFound  = 127
	exitSignal    = 128
	lastSignal    = 64
)

// unexplainedExit returns the finding for an exit without a matching pattern.
func unexplainedExit(exit int, line string) Finding {
	f := Finding{Code: fault.ContainerExited, Detail: fmt.Sprintf("exit status %d", exit), Line: line}
	switch {
	case exit == exitCannotRun || exit == exitNotFound:
		f.Code = fault.ContainerCannotRun
	case exit == exitSignal+int(syscall.SIGKILL):
		f.Detail += ", killed by another process or by the kernel for lack of memory"
	case exit > exitSignal && exit <= exitSignal+lastSignal:
		f.Detail += ", ended by signal " + syscall.Signal(exit-exitSignal).String()
	}
	return f
}

// ClassifyPull finds out from the engine's text why an image could not be pulled. Without
// a match the code is ImagePullFailed.
func ClassifyPull(text string) Finding {
	if f, ok := match(pullPatterns, text); ok {
		return f
	}
	// Registries may send only the protocol's code. Elsewhere in a text the word may come
	// from a file system.
	if strings.HasPrefix(strings.TrimPrefix(text, daemonPrefix), "denied") {
		return Finding{Code: fault.ImageDenied, Line: clean(text)}
	}
	return Finding{Code: fault.ImagePullFailed, Line: clean(text)}
}

// daemonPrefix is what the client puts before the engine's text.
const daemonPrefix = "Error response from daemon: "

// pattern maps words in a text to a condition.
type pattern struct {
	code fault.Code
	// all must be in the text, in lower case.
	all    []string
	detail string
}

// match finds the first matching pattern.
func match(patterns []pattern, text string) (Finding, bool) {
	low := strings.ToLower(text)
	for _, p := range patterns {
		if p.in(low) {
			return Finding{Code: p.code, Detail: p.detail, Line: clean(text)}, true
		}
	}
	return Finding{}, false
}

func (p *pattern) in(low string) bool {
	for _, word := range p.all {
		if !strings.Contains(low, word) {
			return false
		}
	}
	return true
}
