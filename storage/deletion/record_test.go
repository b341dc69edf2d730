package deletion

import (
	"testing"
	"time"

	"microblogging/domain"
	"microblogging/storage/driver"
	"microblogging/storage/schema"
)

func TestStepLogOfTheVersionBeforeIsRead(t *testing.T) {
	asked := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	d := Decode(driver.Entity{Properties: driver.Properties{
		driver.Time(schema.PropRequestedOn, asked),
		driver.String(schema.PropSteps, `[{"step":"pivot","worker":1,"delivery":1,"at":2000000,"took":500000,"result":"done"},{"step":"shut","worker":1,"delivery":1,"at":3000000}]`),
	}})
	began := asked.Add(2 * time.Second)
	want := domain.StepLog{
		{Step: "pivot", Worker: 1, Delivery: 1, Began: began, Ended: began.Add(time.Second / 2), Result: domain.StepDone, Count: 1},
		{Step: "shut", Worker: 1, Delivery: 1, Began: asked.Add(3 * time.Second), Count: 1},
	}
	if len(d.StepLog) != 2 || d.StepLog[0] != want[0] || d.StepLog[1] != want[1] {
		t.Errorf("got %+v", d.StepLog)
	}
}
