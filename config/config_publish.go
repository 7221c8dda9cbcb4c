package config

import "net/netip"

// Publish is what a gateway takes streams by RTMP and SRT with, and sends results of live video with.
type Publish struct {
	// RTMPGiven: the address of Addresses.RTMPListen was given. Where it was not, another program may have the port.
	RTMPGiven bool
	// SRT is the UDP address of SRT, with port 0 where there is none.
	SRT ListenAddr
	// OutputNetworks are private networks in which the RTMP servers may be that publishers name for results.
	OutputNetworks []netip.Prefix

	srtAddr addr
}

const srtPort = 9710

// completePublish applies the defaults of addresses.
func (l *loader) completePublish() {
	a, p := &l.config.Addresses, &l.config.Gateway.Publish
	a.RTMPListen = a.rtmpAddr.listen(loopback, rtmpPort)
	p.RTMPGiven = a.rtmpAddr.given
	if p.srtAddr.given {
		p.SRT = p.srtAddr.listen("0.0.0.0", srtPort)
	}
}
