package metrics

import "time"

// MachineState are a node's resources at a scrape. Unknown values are 0 with a false Known
// field.
type MachineState struct {
	// Ready: the node can take work. Draining: it takes nothing new.
	Ready, Draining bool
	// Connections are open on the public listener, of so many that may be.
	ListenerKnown                bool
	Connections, MostConnections int
	// CertificateEnds is when the listener's certificate expires.
	CertificateKnown bool
	CertificateEnds  time.Time
	// DiskFree and DiskSize are of the data directory's file system, in bytes.
	DiskKnown          bool
	DiskFree, DiskSize uint64
}

// WatchMachine shows them at every scrape.
func (m *Metrics) WatchMachine(source func() MachineState) error {
	l := &gaugeSet{}
	ready := l.gauge("tutti_ready", "1 while the node can take work, as /-/ready says.")
	draining := l.gauge("tutti_draining", "1 while the node takes nothing new.")
	open := l.gauge("tutti_listener_connections", "Connections that are open on the public listener.")
	most := l.gauge("tutti_listener_connections_limit", "Connections that may be open there.")
	ends := l.gauge("tutti_certificate_expiry_timestamp_seconds", "When the public listener's certificate expires.")
	free := l.gauge("tutti_data_dir_free_bytes", "Space that is left on the data directory's file system.")
	size := l.gauge("tutti_data_dir_size_bytes", "Size of the data directory's file system.")
	l.look = func(send sender) {
		s := source()
		send(ready, boolValue(s.Ready))
		send(draining, boolValue(s.Draining))
		if s.ListenerKnown {
			send(open, float64(s.Connections))
			send(most, float64(s.MostConnections))
		}
		if s.CertificateKnown {
			send(ends, float64(s.CertificateEnds.Unix()))
		}
		if s.DiskKnown {
			send(free, float64(s.DiskFree))
			send(size, float64(s.DiskSize))
		}
	}
	return m.Register(l)
}
