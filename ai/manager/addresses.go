package manager

import (
	"context"
	"net"
	"net/netip"
	"time"

	"github.com/tuttinode/tutti/ai/pictures"
	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// Pictures fetches the pictures of a request: see pictures.Fetcher.
type Pictures interface {
	Fetch(ctx context.Context, addresses []string) (*pictures.Batch, error)
}

// lookUpTime bounds the look-ups of all names in a request.
const lookUpTime = 3 * time.Second

// lookUp asks the system's resolver.
func lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// prepare is the job as the runner is given it: with the pictures that the request
// names, where the node fetches them. It refuses a job whose request names an address
// that the runner may not be given. release ends the job's stay in memory.
func (m *member) prepare(ctx context.Context, job *inference.Job) (ready *inference.Job, release func(), err error) {
	named, err := m.checkAddresses(ctx, job)
	if err != nil {
		return nil, nil, err
	}
	if len(named) == 0 {
		return job, func() {}, nil
	}
	texts := make([]string, len(named))
	for i := range named {
		texts[i] = named[i].Text
	}
	batch, err := m.pictures.Fetch(ctx, texts)
	if err != nil {
		return nil, nil, err
	}
	changed := *job
	changed.Body = withPictures(job.Body, named, batch.Pictures)
	batch.Pictures = nil // the body has them
	return &changed, batch.Release, nil
}

// checkAddresses refuses a request with an address that the runner may not be given,
// and returns those of the pictures that the node fetches for it.
func (m *member) checkAddresses(ctx context.Context, job *inference.Job) (named []pipeline.Address, err error) {
	const op = "check addresses in a request"
	if len(job.Body) == 0 {
		return nil, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookUpTime)
	defer cancel()
	chat := job.Operation == "" || job.Operation == inference.Chat
	var refused error
	err = pipeline.LocateAddresses(job.Model.Capability, job.ContentType, job.Body, func(a *pipeline.Address) error {
		if m.urls == fetchurl.Fetch && a.Picture && chat {
			named = append(named, *a)
			return nil
		}
		refused = m.urls.Check(ctx, a.Text, m.resolve)
		return refused
	})
	switch {
	case refused != nil:
		return nil, fault.New(fault.RequestURLRefused, op, refused.Error())
	case err != nil:
		// The nodes before have read it; a text that cannot be walked is not passed on.
		return nil, fault.New(fault.JobUnreadable, op, err.Error())
	}
	return named, nil
}

// withPictures is a request with pictures in place of their addresses.
func withPictures(body []byte, named []pipeline.Address, fetched []pictures.Picture) []byte {
	size := len(body)
	for i := range fetched {
		size += fetched[i].URLBytes() + len(`""`)
	}
	out := make([]byte, 0, size)
	from := 0
	for i := range fetched {
		out = append(append(out, body[from:named[i].From]...), '"')
		out = append(fetched[i].AppendURL(out), '"')
		from = named[i].To
	}
	return append(out, body[from:]...)
}
