/* Myriapod: thousands of robots, one per SIMD lane, all of them obeying the same hard contact law. */
#ifndef MYRIAPOD_MYRIAPOD_H
#define MYRIAPOD_MYRIAPOD_H

#include "act.h"
#include "batch.h"
#include "contact.h"
#include "evaluate.h"
#include "fluid.h"
#include "friction.h"
#include "learn.h"
#include "linearize.h"
#include "machine.h"
#include "model.h"
#include "motor_net.h"
#include "plan.h"
#include "policy.h"
#include "program.h"
#include "rays.h"
#include "recording.h"
#include "sensor.h"
#include "settings.h"
#include "status.h"
#include "task.h"
#include "terrain.h"

#endif
