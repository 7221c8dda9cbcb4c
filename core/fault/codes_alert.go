package fault

// Telling people of lasting troubles.
const (
	// AlertUndelivered: a sink of -alert could not be told.
	AlertUndelivered Code = "AlertUndelivered"
	// AlertNobody: a test of alerts was asked for, and there is nobody to tell.
	AlertNobody Code = "AlertNobody"
	// AlertsTooMany: more troubles hold at once than are told one by one.
	AlertsTooMany Code = "AlertsTooMany"
)
