package page

// toTheHall is the question of the class that the page asks on a projector. It is empty before the last step of a shortest
// way, because it gives that away; when nothing can be won any more; and when the page answers it.
func (v *scene) toTheHall() string {
	if s, _ := stopOf(v.Name); v.large && v.lost == 0 && v.at >= v.record.Shortest-1 && !v.won() {
		return s.Question
	}
	return ""
}
