package manager

import (
	"context"
	"net"
	"net/netip"
	"time"

	"github.com/tuttinode/tutti/core/fault"
	"github.com/tuttinode/tutti/core/fetchurl"
	"github.com/tuttinode/tutti/core/inference"
	"github.com/tuttinode/tutti/core/pipeline"
)

// ImageFetcher fetches the images of a request; see PictureFetcher.
type ImageFetcher interface {
	Fetch(ctx context.Context, party string, addresses []string) (*PictureBatch, error)
}

// lookUpTimeout bounds the look-ups of all names in a request.
const lookUpTimeout = 3 * time.Second

// lookUp asks the system's resolver.
func lookUp(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// addresses are the URLs of a request that need network access before the job runs.
type addresses struct {
	// images are to be fetched, names to be looked up.
	images []pipeline.Address
	names  []string
}

func (a *addresses) none() bool { return len(a.images)+len(a.names) == 0 }

const opAddresses = "check addresses in a request"

// locate finds the URLs in a job's request. It refuses the job if the runner may not get
// one of them, as far as this is known without the network, and returns those to fetch or
// to look up.
func (m *member) locate(ctx context.Context, job *inference.Job) (named *addresses, err error) {
	named = &addresses{}
	if len(job.Body) == 0 {
		return named, nil
	}
	chat := job.Operation == "" || job.Operation == inference.Chat
	var refused error
	err = pipeline.LocateAddresses(job.Model.Capability, job.ContentType, job.Body, func(a *pipeline.Address) error {
		if m.urls == fetchurl.Fetch && a.Image && chat {
			named.images = append(named.images, *a)
			return nil
		}
		if refused = m.urls.Check(ctx, a.Text, nil); refused == nil && m.urls == fetchurl.PublicHosts {
			named.names = append(named.names, a.Text)
		}
		return refused
	})
	switch {
	case refused != nil:
		return nil, fault.New(fault.RequestURLRefused, opAddresses, refused.Error())
	case err != nil:
		// Earlier nodes have parsed it; a body that cannot be parsed is not forwarded.
		return nil, fault.New(fault.JobUnreadable, opAddresses, err.Error())
	}
	return named, nil
}

// resolved returns a party's job with its image URLs replaced by the fetched images. It refuses a
// URL whose host has no public address. The returned function frees the job's memory.
func (m *member) resolved(
	ctx context.Context, party string, job *inference.Job, named *addresses,
) (*inference.Job, func(), error) {
	if err := m.lookUp(ctx, named.names); err != nil {
		return nil, nil, err
	}
	if len(named.images) == 0 {
		return job, func() {}, nil
	}
	texts := make([]string, len(named.images))
	for i := range named.images {
		texts[i] = named.images[i].Text
	}
	batch, err := m.images.Fetch(ctx, party, texts)
	if err != nil {
		return nil, nil, err
	}
	changed := *job
	changed.Body = withImages(job.Body, named.images, batch.Images)
	batch.Images = nil // the body has them
	return &changed, batch.Release, nil
}

// lookUp checks the addresses of host names.
func (m *member) lookUp(ctx context.Context, names []string) error {
	ctx, cancel := context.WithTimeout(ctx, lookUpTimeout)
	defer cancel()
	for _, name := range names {
		if err := m.urls.Check(ctx, name, m.resolve); err != nil {
			return fault.New(fault.RequestURLRefused, opAddresses, err.Error())
		}
	}
	return nil
}

// withImages returns a request with images in place of their addresses.
func withImages(body []byte, named []pipeline.Address, fetched []Image) []byte {
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
