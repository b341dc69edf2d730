package worker

import "time"

// quietLeases is how many leases a deletion may show no progress before the
// reconciling pass queues it again.
const quietLeases = 3

// Patience is how long a deletion may show no progress before it counts as
// stalled, for workers with this lease.
func Patience(lease time.Duration) time.Duration { return quietLeases * lease }
