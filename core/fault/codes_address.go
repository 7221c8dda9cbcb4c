package fault

// The service address.
const (
	// PortUnverified: behind a NAT, and not to be told from here whether it is open.
	PortUnverified Code = "PortUnverified"
	// ServiceAddrForeign: another server answers at the service address.
	ServiceAddrForeign Code = "ServiceAddrForeign"
	// PublicIPUnknown: nobody said where this machine is seen.
	PublicIPUnknown Code = "PublicIPUnknown"
)
