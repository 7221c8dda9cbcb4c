package docker

import (
	"fmt"
	"strings"
	"syscall"

	"github.com/tuttinode/tutti/core/fault"
)

// Evidence is what is known of a container that does not run.
type Evidence struct {
	// Engine is what the engine says: an error's text, or the container's own.
	Engine string
	// Lines are the last lines that the container printed, oldest first.
	Lines []string
	// Complaint is the last line that it printed on standard error, "" for none.
	// The order of lines of the two streams is not to be relied on.
	Complaint string
	// ExitCode is how its program ended, 0 if it did not start.
	ExitCode int
	// OOMKilled says that the kernel killed something in it for want of memory.
	OOMKilled bool
}

// Finding is what the evidence amounts to.
type Finding struct {
	Code fault.Code
	// Detail says it in a few words of ours, fit for anyone.
	Detail string
	// Line is the words that gave it away, the engine's or the container's: for
	// the node's own log and pages.
	Line string
}

// Recognise finds out why a container did not start or has ended. What the
// kernel did counts before what the engine says, and that before what the
// container printed. Nothing recognised is DockerFailed where the engine spoke,
// else ContainerExited.
func Recognise(e Evidence) Finding {
	if e.OOMKilled {
		return Finding{Code: fault.ContainerOOM, Detail: "killed for want of main memory", Line: e.last()}
	}
	if e.Engine != "" {
		if f, ok := match(engineSigns, e.Engine); ok {
			return f
		}
	}
	for i := len(e.Lines) - 1; i >= 0; i-- {
		if f, ok := match(runnerSigns, e.Lines[i]); ok {
			return f
		}
	}
	if e.Engine != "" {
		return Finding{Code: fault.DockerFailed, Line: clean(e.Engine)}
	}
	return ended(e.ExitCode, e.last())
}

// last is the line that most likely says why a program ended.
func (e *Evidence) last() string {
	if e.Complaint != "" || len(e.Lines) == 0 {
		return clean(e.Complaint)
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

// ended is a program's end that nothing explains.
func ended(exit int, line string) Finding {
	f := Finding{Code: fault.ContainerExited, Detail: fmt.Sprintf("exit status %d", exit), Line: line}
	switch {
	case exit == exitCannotRun || exit == exitNotFound:
		f.Code = fault.ContainerCannotRun
	case exit == exitSignal+int(syscall.SIGKILL):
		f.Detail += ", killed by someone or by the kernel for want of memory"
	case exit > exitSignal && exit <= exitSignal+lastSignal:
		f.Detail += ", ended by signal " + syscall.Signal(exit-exitSignal).String()
	}
	return f
}

// RecognisePull finds out why an image could not be fetched from what the engine
// says. Nothing recognised is ImagePullFailed.
func RecognisePull(text string) Finding {
	if f, ok := match(pullSigns, text); ok {
		return f
	}
	// Registries may give no more than the protocol's code. Elsewhere in a text the
	// word can be a file system's.
	if strings.HasPrefix(strings.TrimPrefix(text, daemonPrefix), "denied") {
		return Finding{Code: fault.ImageDenied, Line: clean(text)}
	}
	return Finding{Code: fault.ImagePullFailed, Line: clean(text)}
}

// daemonPrefix is what the engine's client puts before the engine's words.
const daemonPrefix = "Error response from daemon: "

// sign is words that stand for a condition.
type sign struct {
	code fault.Code
	// all must be in the text, in lower case.
	all    []string
	detail string
}

// match finds the first sign in a text.
func match(signs []sign, text string) (Finding, bool) {
	low := strings.ToLower(text)
	for _, s := range signs {
		if s.in(low) {
			return Finding{Code: s.code, Detail: s.detail, Line: clean(text)}, true
		}
	}
	return Finding{}, false
}

func (s *sign) in(low string) bool {
	for _, word := range s.all {
		if !strings.Contains(low, word) {
			return false
		}
	}
	return true
}
