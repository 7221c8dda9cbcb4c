package docker

import (
	"context"
	"strconv"

	"github.com/moby/moby/client"
)

// LastLines returns the last lines that a container printed, oldest first: n at
// most, and never more than 20 lines or 4 KiB. Control characters are removed.
func (e *Engine) LastLines(ctx context.Context, id ID, n int) ([]string, error) {
	out, err := e.output(ctx, id, n)
	return out.lines, err
}

func (e *Engine) output(ctx context.Context, id ID, n int) (output, error) {
	const op = "read container's output"
	n = min(max(n, 0), maxLines)
	// Empty lines are dropped, so request more.
	stream, err := e.api.ContainerLogs(ctx, string(id), client.ContainerLogsOptions{
		ShowStdout: true, ShowStderr: true, Tail: strconv.Itoa(2 * n),
	})
	if err != nil {
		return output{}, e.fault(op, err)
	}
	defer stream.Close()
	out, err := tail(stream, n)
	if err != nil {
		return out, e.fault(op, err)
	}
	return out, nil
}
