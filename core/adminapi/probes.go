package adminapi

// The paths that supervisors ask without token, as Prometheus' own programs have them:
// whether the process lives, and whether it can take work (503 while not).
const (
	PathHealthy = "/-/healthy"
	PathReady   = "/-/ready"
)
