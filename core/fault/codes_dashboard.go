package fault

// The dashboard.
const (
	// AdminStreamsFull: as many dashboards are open as may be.
	AdminStreamsFull Code = "AdminStreamsFull"
)

// dashboardRows are the refusals of the operator's dashboard. Read-only.
var dashboardRows = []Row{
	{
		Code: AdminStreamsFull, Class: Busy, Retryable: true,
		Cause: "256 dashboards or other readers of `/api/v1/events` are connected to the admin port. Each open " +
			"browser tab is one.",
		Remedy: "Close tabs and programs that are not needed; `GET /api/v1/dashboard` answers without a " +
			"connection slot.",
	},
}
