package docker

import (
	"context"
	"strconv"

	"github.com/moby/moby/client"
)

// LastLines are the last lines that a container printed, oldest first: n at
// most, and never more than 20 lines or 4 KiB. Control characters are removed.
func (e *Engine) LastLines(ctx context.Context, id ID, n int) ([]string, error) {
	const op = "read container's output"
	n = min(n, maxLines)
	// Lines without words are not kept, so more are asked for.
	output, err := e.api.ContainerLogs(ctx, string(id), client.ContainerLogsOptions{
		ShowStdout: true, ShowStderr: true, Tail: strconv.Itoa(2 * n),
	})
	if err != nil {
		return nil, e.fault(op, err)
	}
	defer output.Close()
	lines, err := tail(output, n)
	if err != nil {
		return lines, e.fault(op, err)
	}
	return lines, nil
}
