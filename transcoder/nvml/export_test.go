package nvml

import (
	"context"
	"io"
	"time"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"github.com/tuttinode/tutti/transcoder/gpus"
)

// OpenWith is Open with another library.
func OpenWith(lib nvml.Interface) (*Reader, *gpus.Problem) { return open(lib) }

// WatchWith is Watch for an open reader.
func (r *Reader) WatchWith(ctx context.Context, w io.Writer, tick <-chan time.Time) error {
	return r.watch(ctx, w, tick)
}

// Functions are the optional functions of the library, and whether it has them.
func (r *Reader) Functions() map[string]bool { return r.has }
