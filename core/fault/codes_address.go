package fault

// The service address.
const (
	// PortUnverified: behind a NAT, and not to be told from here whether it is open.
	PortUnverified Code = "PortUnverified"
	// ServiceAddrForeign: another server answers at the service address.
	ServiceAddrForeign Code = "ServiceAddrForeign"
	// ServiceAddrInvalid: what is registered is no address.
	ServiceAddrInvalid Code = "ServiceAddrInvalid"
	// PublicIPUnknown: nobody said where this machine is seen.
	PublicIPUnknown Code = "PublicIPUnknown"
)
