package fault

// The dashboard.
const (
	// AdminStreamsFull: as many dashboards are open as may be.
	AdminStreamsFull Code = "AdminStreamsFull"
)
