package manager

import (
	"context"
	"net"
	"net/netip"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// lookUpTime bounds the look-ups of all names in a request.
const lookUpTime = 3 * time.Second

// lookUp asks the system's resolver.
func lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// checkAddresses refuses a job whose request names an address that the runner may not
// be given, before the runner sees it.
func (m *member) checkAddresses(ctx context.Context, job *inference.Job) error {
	const op = "check addresses in a request"
	if len(job.Body) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookUpTime)
	defer cancel()
	var refused error
	err := pipeline.Addresses(job.Model.Capability, job.ContentType, job.Body, func(address string) error {
		refused = m.urls.Check(ctx, address, m.resolve)
		return refused
	})
	switch {
	case refused != nil:
		return fault.New(fault.RequestURLRefused, op, refused.Error())
	case err != nil:
		// The nodes before have read it; a text that cannot be walked is not passed on.
		return fault.New(fault.JobUnreadable, op, err.Error())
	}
	return nil
}
