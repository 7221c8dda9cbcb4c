package inference

import (
	"strconv"
	"strings"

	"github.com/tuttinode/tutti/core/capability"
)

// serverName is what texts call a runner that is no container of this node's.
const serverName = "the model server"

// containerName returns what the network calls a pipeline's runner.
func containerName(pipeline capability.ID) string {
	if pipeline == capability.LLM {
		return "LLM container"
	}
	return pipeline.Pipeline() + " container"
}

// RunnerName returns what the operator's and clients' texts call a pipeline's runner: a container
// where it is one.
func RunnerName(pipeline capability.ID, container bool) string {
	if container {
		return containerName(pipeline)
	}
	return serverName
}

// RunnerText says what a runner with a name answered.
func RunnerText(name string, status int, body []byte) string {
	text := name + " returned " + strconv.Itoa(status)
	if msg := Message(body); msg != "" {
		text += ": " + msg
	}
	return text
}

// ContainerText returns how the network words a runner's error, whatever the runner is. Its gateways
// look for "returned 400" in it.
func ContainerText(pipeline capability.ID, status int, body []byte) string {
	return RunnerText(containerName(pipeline), status, body)
}

// NetworkText returns a text about a runner in the network's words.
func NetworkText(pipeline capability.ID, text string) string {
	if what, ok := strings.CutPrefix(text, serverName+" "); ok {
		return containerName(pipeline) + " " + what
	}
	return text
}
