package lab

// SearchedFiles are the files of the fingerprint.
var SearchedFiles = searchedFiles

// SiteOf is the line of a frame.
var SiteOf = siteOf

// Calls walks at random, and returns the calls that were made by the line that tells of them.
func (x *Explorer) Calls(walks int) map[Site][]*Call {
	x.trace()
	for n := range walks {
		x.walk(newDice(1, n, len(x.scenario.Actors)))
	}
	calls := map[Site][]*Call{}
	var visit func(*point)
	visit = func(at *point) {
		if at.call != nil {
			calls[at.line()] = append(calls[at.line()], at.call)
		}
		for _, next := range at.next {
			visit(next)
		}
	}
	for _, p := range x.programs {
		visit(p.root)
	}
	return calls
}
