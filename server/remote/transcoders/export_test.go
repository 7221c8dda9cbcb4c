package transcoders

import (
	"io"

	"github.com/tuttinode/tutti/core"
	"github.com/tuttinode/tutti/core/device"
	"github.com/tuttinode/tutti/server/remote"
	"github.com/tuttinode/tutti/server/rpc"
)

// ParseResult reads a result's body as the handler does; booked is what stays booked
// for it.
func ParseResult(
	body io.Reader, boundary string, job *core.TranscodeJob, most int64,
) (out []core.Rendition, booked int64, err error) {
	p := &parser{budget: remote.NewBudget(most), job: job}
	err = p.read(body, boundary)
	if err != nil {
		p.discard()
	}
	return p.out, p.budget.Used(), err
}

// ReadOffer is what is kept of a registration.
func ReadOffer(m *rpc.RegisterRequest) (device.Resources, []WorkerDevice) {
	return offerOf(m), devicesOf(m)
}

// PlainHost is plainHost.
func PlainHost(host string) bool { return plainHost(host) }
